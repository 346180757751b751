"""BERT of transformers on short texts, fp32. Variants: tf32, amp, fused (the optimizer)."""
import torch
from transformers import BertConfig, BertForSequenceClassification
from common import Clock, dev, variant

model = BertForSequenceClassification(BertConfig(num_labels=2)).to(dev)
opt = torch.optim.AdamW(model.parameters(), lr=2e-5, fused="fused" in variant or None)
ids = torch.randint(1, 30000, (16, 128), device=dev)
mask, label = torch.ones_like(ids), torch.randint(0, 2, (16,), device=dev)
clock = Clock()
while clock.step():
    with torch.autocast("cuda", torch.bfloat16, enabled="amp" in variant):
        loss = model(input_ids=ids, attention_mask=mask, labels=label).loss
    opt.zero_grad()
    loss.backward()
    opt.step()
