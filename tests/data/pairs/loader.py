"""An image classifier whose main process prepares the images. Variants: workers (8 of them, pinned
memory), amp."""
import torch
import torchvision
from common import Clock, dev, variant


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        img = torch.randint(0, 256, (3, 256, 256), generator=g, dtype=torch.uint8)
        img = torchvision.transforms.functional.resize(img, [224, 224], antialias=True)
        img = img.float().div_(255).sub_(0.5).div_(0.25)
        return img, i % 1000


def main():
    torch.set_num_threads(1)
    many = "workers" in variant
    data = torch.utils.data.DataLoader(
        Images(), batch_size=32, num_workers=8 if many else 0, pin_memory=many, persistent_workers=many)
    model = torchvision.models.resnet18().to(dev)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    clock = Clock()
    for img, label in data:
        img, label = img.to(dev, non_blocking=many), label.to(dev, non_blocking=many)
        with torch.autocast("cuda", torch.bfloat16, enabled="amp" in variant):
            loss = torch.nn.functional.cross_entropy(model(img), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if not clock.step():
            break


if __name__ == "__main__":
    main()
