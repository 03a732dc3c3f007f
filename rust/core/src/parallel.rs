//! Work on many items by several threads.
//!
//! Threads live only as long as a call: a pool that outlived it would be without its threads in a forked process, which
//! would wait for them forever.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More threads than this are never used for one call.
pub const MAX_THREADS: usize = 256;

/// More threads than this are used only if they are asked for: many processes may do the same on one machine.
pub const MOST_UNLESS_ASKED: usize = 8;

/// A thread is worth its start for so many bytes of text: to analyse them takes several times as long, and where all
/// processors are busy, a thread that waits for its turn holds up all.
const BYTES_PER_THREAD: usize = 512 * 1024;

/// The results of `work` on each of `items`, in their order.
///
/// At most `threads` threads take part, the caller's among them, and no more than are worth their start for so many
/// `bytes` of text in all; without a number, as many as the process may run at once, but at most
/// [`MOST_UNLESS_ASKED`]. Where the system refuses to start a thread, the others do its work.
pub fn map<T, R, F>(items: &[T], bytes: usize, threads: Option<usize>, work: F) -> Vec<R>
where
    T: Sync,
    R: Send,
    F: Fn(&T) -> R + Sync,
{
    let worth = items.len().min(1 + bytes / BYTES_PER_THREAD);
    let allowed = || match threads {
        Some(threads) => threads.min(MAX_THREADS),
        // To ask the system takes its time.
        None => thread::available_parallelism().map_or(1, |most| most.get().min(MOST_UNLESS_ASKED)),
    };
    let threads = if worth <= 1 { 1 } else { worth.min(allowed()) };
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    // Whoever is free takes the next item, so that long texts do not hold up a thread's share of short ones.
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else {
                return done;
            };
            done.push((place, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, take).ok())
            .collect();
        let mut done = take();
        for helper in helpers {
            match helper.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|&(place, _)| place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::{Barrier, Mutex};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn results_are_in_order(
            items in proptest::collection::vec(any::<u32>(), 0..200),
            bytes in prop_oneof![Just(0), Just(BYTES_PER_THREAD), Just(usize::MAX)],
            threads in proptest::option::of(prop_oneof![0..9usize, Just(usize::MAX)]),
        ) {
            let expected: Vec<u64> = items.iter().map(|&item| u64::from(item) + 1).collect();
            prop_assert_eq!(map(&items, bytes, threads, |&item| u64::from(item) + 1), expected);
        }
    }

    #[test]
    fn as_many_threads_work_at_once_as_were_asked_for() {
        for threads in [2, 3, 8] {
            let (barrier, seen) = (Barrier::new(threads), Mutex::new(HashSet::new()));
            let items = vec![(); threads];
            map(&items, usize::MAX, Some(threads), |()| {
                // Passed only once all threads are here.
                barrier.wait();
                seen.lock().unwrap().insert(thread::current().id());
            });
            assert_eq!(seen.into_inner().unwrap().len(), threads);
        }
    }

    #[test]
    fn little_text_and_one_thread_stay_with_the_caller() {
        let caller = thread::current().id();
        let cases = [
            (BYTES_PER_THREAD - 1, Some(8)),
            (BYTES_PER_THREAD - 1, None),
            (usize::MAX, Some(1)),
            (usize::MAX, Some(0)),
        ];
        for (bytes, threads) in cases {
            let on = map(&[(); 20], bytes, threads, |()| thread::current().id());
            assert!(on.iter().all(|&id| id == caller));
        }
    }

    #[test]
    #[should_panic(expected = "an item is bad")]
    fn a_panic_reaches_the_caller() {
        let items: Vec<usize> = (0..100).collect();
        map(&items, usize::MAX, Some(4), |&item| {
            assert_ne!(item, 50, "an item is bad")
        });
    }
}
