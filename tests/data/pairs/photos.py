"""A ViT in bf16 whose two workers resize and flip the images. Variants: workers (12)."""
import torch
import torchvision
from torchvision.transforms import v2
from common import Clock, dev, variant


class Photos(torch.utils.data.Dataset):
    def __init__(self):
        self.how = v2.Compose([v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(),
                               v2.ToDtype(torch.float32, scale=True)])

    def __len__(self):
        return 100000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return self.how(torch.randint(0, 256, (3, 320, 320), generator=g, dtype=torch.uint8)), i % 1000


def main():
    n = 12 if "workers" in variant else 2
    data = torch.utils.data.DataLoader(Photos(), batch_size=64, num_workers=n, pin_memory=True)
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
