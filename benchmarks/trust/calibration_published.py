"""Runs `judge calibrate` on two published label sets and holds its output against their known figures, to six decimals.

    python benchmarks/trust/calibration_published.py ../shared/calibration

The folder holds pandalm_testset.csv (WeOpenML/PandaLM, Apache-2.0) and llmbar_verdicts.csv (princeton-nlp/LLMBar, MIT).
"""

import subprocess
import sys
import tempfile
from pathlib import Path

PANDALM = (
    "--human human_1,human_2,human_3 --judge-column llm_gpt35 --cluster cluster_id --positive 1",
    'others = ["llm_pandalm7b"]\nunusable = ["garbage"]\nepsilon = 0.1\n',
)
LLMBAR = (
    "--human gold --judge-column GPT-4/Vanilla --positive 1",
    'both_orders = true\nunusable = ["x"]\ndrift_from = "ChatGPT-0301/Vanilla"\ndrift_to = "ChatGPT/Vanilla"\n',
)
KNOWN = {
    "pandalm_testset.csv": (
        PANDALM,
        "n 974|0.715606|0.492865|0.605150|0.495540|0.697698|n 999|0.667668|0.435355|0.529109|0.435465|0.852023|0.878944|0.861661|0.864221"
        "|105 / 422 / 472|0.758042",
    ),
    "llmbar_verdicts.csv": (LLMBAR, "0.844869|0.809069|0.928401|0.656503|20, 10|0.098737|0.489260 to 0.405728|53, 18|3.8848e-05|0.635201"),
}


def main(folder: Path) -> int:
    """Prints what is missing of each set; 0 when nothing is."""
    missing = 0
    for name, ((flags, lines), figures) in KNOWN.items():
        with tempfile.TemporaryDirectory() as out:
            (map_file := Path(out) / "map.toml").write_text(lines, "utf-8")
            command = [
                sys.executable,
                "-m",
                "judge.cli",
                "calibrate",
                str(folder / name),
                "--out",
                out,
                "--map",
                str(map_file),
                *flags.split(),
            ]
            output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        lost = [figure for figure in figures.split("|") if figure not in output]
        print(f"{name}: {len(figures.split('|')) - len(lost)} of {len(figures.split('|'))} figures", *lost)
        missing += len(lost)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
