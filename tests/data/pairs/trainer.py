"""A small Llama with random weights, trained by transformers' Trainer in fp32. Variants: tf32, amp (its
bf16), fused (the optimizer)."""
import tempfile

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainerCallback, TrainingArguments
from common import Clock, steps, variant


class Texts(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        ids = (torch.arange(512) * 31 + i * 7919) % 32000
        return {"input_ids": ids, "labels": ids}


class Tick(TrainerCallback):
    def __init__(self):
        self.clock = Clock()

    def on_step_end(self, args, state, control, **kw):
        self.clock.step()


def main():
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=32000, hidden_size=768, intermediate_size=2048, num_hidden_layers=8, num_attention_heads=12))
    args = TrainingArguments(
        tempfile.mkdtemp(), per_device_train_batch_size=4, max_steps=steps, logging_steps=10, save_strategy="no",
        report_to="none", disable_tqdm=True, tf32="tf32" in variant, bf16="amp" in variant,
        optim="adamw_torch_fused" if "fused" in variant else "adamw_torch")
    Trainer(model, args, train_dataset=Texts(), callbacks=[Tick()]).train()


if __name__ == "__main__":
    main()
