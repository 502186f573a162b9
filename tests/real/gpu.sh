#!/usr/bin/env bash
# The transformers host on one CUDA device, under 5 minutes: a random-weight vision-language model of about 1 B
# parameters, the whole plugin at -n 4. Shows: one load, the memory given back, pages per second ÷ a bare batched
# generate of the same requests. Ends with 0 when the model was loaded once and the memory came back.
#   tests/real/gpu.sh
#   VTC_GPU_TINY=1    a model of 0.3 M parameters on the CPU, to test this script where there is no GPU
#   PYTHON=…          an interpreter with torch and transformers (default python3)
#   WHEELS=FOLDER     wheels of what else is missing, for a machine without a network (default .whl, where it exists)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${PYTHON:-python3}
wheels=${WHEELS:-$root/.whl}
if [ -d "$wheels" ]; then
  venv=$(mktemp -d)/venv
  "$python" -m venv --system-site-packages "$venv"
  "$venv/bin/pip" install -q --no-index --no-deps "$wheels"/*.whl
  python=$venv/bin/python
fi
export PYTHONPATH=$root TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1 PYTHONUNBUFFERED=1
exec "$python" "$root/tests/real/gpu.py"
