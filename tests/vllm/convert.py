"""Turn a GGUF file into a checkpoint that vLLM loads, and make a LoRA adapter for it. Runs in vLLM's own venv."""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoTokenizer, LlamaForCausalLM

RANK = 8
ADAPTED = ("q_proj", "v_proj")


def main() -> None:
    gguf, out, lora = (Path(a) for a in sys.argv[1:])
    loaded = LlamaForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    config = loaded.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    # The loaded model remembers that it was quantised and refuses to be saved; a fresh one does not.
    fresh = LlamaForCausalLM(config)
    fresh.load_state_dict(loaded.state_dict())
    fresh.to(torch.bfloat16).save_pretrained(out)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(out)
    _adapter(fresh, lora)


def _adapter(model: LlamaForCausalLM, out: Path) -> None:
    """Write a rank-8 adapter whose output differs visibly from the base model's, with a fixed seed."""
    torch.manual_seed(0)
    tensors = {}
    for name, layer in model.named_modules():
        if name.endswith(ADAPTED):
            prefix = f"base_model.model.{name}"
            tensors[f"{prefix}.lora_A.weight"] = torch.randn(RANK, layer.in_features) * 0.05
            tensors[f"{prefix}.lora_B.weight"] = torch.randn(layer.out_features, RANK) * 0.05
    out.mkdir(parents=True, exist_ok=True)
    save_file({n: t.to(torch.bfloat16) for n, t in tensors.items()}, out / "adapter_model.safetensors")
    config = {
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": RANK, "lora_alpha": 2 * RANK, "lora_dropout": 0.0,
        "bias": "none", "target_modules": list(ADAPTED), "base_model_name_or_path": "smollm2",
    }  # fmt: skip
    (out / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n")


if __name__ == "__main__":
    main()
