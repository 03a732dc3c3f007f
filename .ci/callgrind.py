"""Count the instructions of a few fixed kernels with callgrind, and compare them with the counts on record.

A count shows a regression on a machine whose times say nothing. It belongs to a kind of processor, an instruction set
and a compiler: with others, counts are printed and not judged. ``--update`` puts the counts on record.
"""

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benches" / "instructions.txt"
TIMES = {"cold": 20, "warm": 300, "render": 1000}
TOLERANCE = 0.02


def build() -> Path:
    """Build the kernels; give the program."""
    command = ["cargo", "build", "--quiet", "--locked", "--profile", "bench", "--package", "sid-core"]
    command += ["--example", "instructions", "--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    [program] = [message["executable"] for message in messages if message.get("executable")]
    return Path(program)


def count(program: Path, kernel: str) -> tuple[str, int]:
    """Give the instruction set that a kernel ran with, and its instructions per call."""
    times = TIMES[kernel]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = ["valgrind", "--quiet", "--tool=callgrind", "--toggle-collect=*instructions*measured*"]
        command += [f"--callgrind-out-file={out}", str(program), kernel, str(times)]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        found = re.search(r"^totals: (\d+)$", out.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None or int(found[1]) == 0:
        raise SystemExit(f"callgrind counted nothing of {kernel!r}")
    return ran.stdout.strip(), round(int(found[1]) / times)


def circumstances(instruction_set: str) -> str:
    """Tell what counts depend on."""
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return f"{platform.machine()} {instruction_set} rustc-{compiler}"


def on_record() -> tuple[str, dict[str, int]]:
    """Give what counts were made with, and the counts."""
    lines = [line.split() for line in RECORD.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    fields = {name: rest for name, *rest in lines}
    return " ".join(fields.pop("with")), {kernel: int(number) for kernel, [number] in fields.items()}


def record(made_with: str, counts: dict[str, int]) -> None:
    """Put counts on record."""
    lines = [
        "# Instructions per call of the kernels of rust/core/examples/instructions.rs.",
        "# Written by: python3 .ci/callgrind.py --update",
        f"with {made_with}",
        *(f"{kernel} {number}" for kernel, number in counts.items()),
    ]
    RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Count and compare; give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help=f"write the counts to {RECORD.relative_to(ROOT)}")
    parser.add_argument("--output", type=Path, metavar="DIR", help="write instructions.json there")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("\n*** valgrind IS MISSING: no instructions are counted ***\n", file=sys.stderr)
        return 1 if arguments.update else 0
    program = build()
    got = {kernel: count(program, kernel) for kernel in TIMES}
    counts = {kernel: number for kernel, (_, number) in got.items()}
    made_with = circumstances(got["cold"][0])
    if arguments.update:
        record(made_with, counts)
    expected_with, expected = on_record()
    if expected.keys() != counts.keys():
        raise SystemExit(f"{RECORD} has {', '.join(expected)}, not {', '.join(counts)}: run with --update")
    judged = made_with == expected_with
    if not judged:
        print(f"*** the counts on record were made with {expected_with}, not {made_with}: nothing is judged ***")
    print(f"instructions per call, {made_with}; tolerance {TOLERANCE:.0%}")
    more = []
    for kernel, number in counts.items():
        change = number / expected[kernel] - 1
        remark = ""
        if judged and change > TOLERANCE:
            more.append(kernel)
            remark = "  MORE THAN ON RECORD"
        elif judged and change < -TOLERANCE:
            remark = "  fewer: record them with python3 .ci/callgrind.py --update"
        print(f"{kernel:8}{number:12,}{change:+10.2%}{remark}")
    if arguments.output is not None:
        arguments.output.mkdir(parents=True, exist_ok=True)
        report = {"with": made_with, "counts": counts, "record": {"with": expected_with, "counts": expected}}
        (arguments.output / "instructions.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
