//! Each holds the core to a model, on what a fuzzer gave, and panics where they differ.

mod masking;
mod rendering;
mod segmentation;
mod snippet;

pub use masking::masking;
pub use rendering::rendering;
pub use segmentation::segmentation;
pub use snippet::snippet;

/// A check, by the name of its target.
pub type Check = (&'static str, fn(&[u8]));

/// Every check.
pub const ALL: [Check; 4] = [
    ("segmentation", segmentation),
    ("snippet", snippet),
    ("masking", masking),
    ("rendering", rendering),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::seeds;

    #[test]
    fn the_core_agrees_on_every_seed() {
        for (target, check) in ALL {
            for (name, data) in seeds(target) {
                println!("{target}: {name}");
                check(&data);
            }
        }
    }

    #[test]
    fn any_bytes_are_an_input() {
        // A small generator (splitmix64): the same bytes each time.
        let mut state = 0u64;
        let mut byte = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            (mixed ^ mixed >> 27) as u8
        };
        for (_, check) in ALL {
            for length in 0..48 {
                check(&Vec::from_iter((0..length).map(|_| byte())));
            }
        }
    }
}
