"""A network on graphs of all sizes, scattered by index. Variants: workers (4), amp."""
import torch
import torch.nn as nn
from common import Clock, dev, variant


class Graphs(torch.utils.data.IterableDataset):
    def __iter__(self):
        gen = torch.Generator().manual_seed(3)
        while True:
            n = int(torch.randint(2000, 8000, (1,), generator=gen))
            yield torch.randn(n, 64, generator=gen), torch.randint(0, n, (2, 8 * n), generator=gen)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.into = nn.Linear(64, 128)
        self.mlp = nn.ModuleList(
            nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 128)) for _ in range(5))
        self.norm = nn.ModuleList(nn.BatchNorm1d(128) for _ in range(5))
        self.out = nn.Linear(128, 1)

    def forward(self, x, edges):
        x = self.into(x)
        for mlp, norm in zip(self.mlp, self.norm):
            x = norm(mlp(x + torch.zeros_like(x).index_add_(0, edges[1], x[edges[0]]))).relu()
        return self.out(x).mean()


def main():
    data = torch.utils.data.DataLoader(
        Graphs(), batch_size=None, num_workers=4 if "workers" in variant else 0)
    model = Net().to(dev)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    clock = Clock()
    for x, edges in data:
        loss = model(x.to(dev), edges.to(dev))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if not clock.step():
            break


if __name__ == "__main__":
    main()
