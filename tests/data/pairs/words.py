"""A text classifier whose main process builds n-gram counts in plain Python. Variants: workers (4)."""
import torch
import torch.nn as nn
from common import Clock, dev, variant


class Texts(torch.utils.data.Dataset):
    def __len__(self):
        return 100000

    def __getitem__(self, i):
        words = [(i * 7919 + k * 104729) % 5003 for k in range(1500)]
        count = {}
        for a, b in zip(words, words[1:]):
            key = (a * 31 + b) % 8192
            count[key] = count.get(key, 0) + 1
        row = torch.zeros(8192)
        row[list(count)] = torch.tensor(list(count.values()), dtype=torch.float32)
        return row, i % 20


def main():
    n = 4 if "workers" in variant else 0
    data = torch.utils.data.DataLoader(Texts(), batch_size=64, num_workers=n, pin_memory=n > 0)
    model = nn.Sequential(nn.Linear(8192, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(),
                          nn.Linear(2048, 20)).to(dev)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    clock = Clock()
    for row, label in data:
        loss = nn.functional.cross_entropy(model(row.to(dev)), label.to(dev))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if not clock.step():
            break


if __name__ == "__main__":
    main()
