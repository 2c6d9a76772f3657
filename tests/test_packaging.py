import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel_holds_the_four_packages_and_their_data(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    wheel = next(tmp_path.glob("*.whl"))
    checked = subprocess.run([sys.executable, ".ci/wheel_names.py", str(wheel)], cwd=ROOT, capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"rubrics/contract-1.0.toml", "rubrics/pins.json", "judge/cli.py", "deterministic/lexicon/tables/legal_forms.txt"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]


def test_locked_requirements_name_no_index_and_pin_every_hash() -> None:
    for name in ("requirements.lock", "requirements-ray.lock"):
        lines = (ROOT / name).read_text().splitlines()
        pinned = [n for n, line in enumerate(lines) if line and not line.startswith((" ", "#"))]
        assert pinned and all("==" in lines[n] and "--hash=sha256:" in lines[n + 1] for n in pinned)
        assert not [line for line in lines if "index-url" in line or "://" in line]
