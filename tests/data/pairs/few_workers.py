"""A ViT under autocast whose two workers cannot keep up: some steps wait for data, others do not.
Variants: workers (12)."""
import time

import torch
import torchvision
from common import Clock, dev, variant


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        time.sleep(0.0025)
        return torch.full((3, 224, 224), (i % 255) / 255.0), i % 1000


def main():
    data = torch.utils.data.DataLoader(
        Slow(), batch_size=64, num_workers=12 if "workers" in variant else 2, pin_memory=True)
    model = torchvision.models.vit_b_16().to(dev)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    clock = Clock()
    for img, label in data:
        img, label = img.to(dev, non_blocking=True), label.to(dev, non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(img), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if not clock.step():
            break


if __name__ == "__main__":
    main()
