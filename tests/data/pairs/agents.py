"""Policy updates on small batches, whose statistics are read back after each update. Variants: noitem
(they stay on the GPU), foreach, fused."""
import torch
import torch.nn as nn
from common import Clock, dev, variant


def mlp(out):
    return nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, out))


actor, critic = mlp(8).to(dev), mlp(1).to(dev)
params = [*actor.parameters(), *critic.parameters()]
opt = torch.optim.Adam(params, lr=3e-4, foreach="foreach" in variant, fused="fused" in variant)
obs, act = torch.randn(4096, 64, device=dev), torch.randint(0, 8, (4096,), device=dev)
adv, ret, old = torch.randn(4096, device=dev), torch.randn(4096, device=dev), torch.randn(4096, device=dev)
clock = Clock()
while clock.step():
    seen = []
    for part in torch.randperm(4096, device=dev).split(1024):
        dist = torch.distributions.Categorical(logits=actor(obs[part]))
        ratio = (dist.log_prob(act[part]) - old[part]).clamp(-2, 2).exp()
        gain = torch.min(ratio * adv[part], ratio.clamp(0.8, 1.2) * adv[part]).mean()
        value = (critic(obs[part]).squeeze(-1) - ret[part]).pow(2).mean()
        loss = value - gain - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 0.5)
        opt.step()
        seen.append([v.detach() if "noitem" in variant else v.item() for v in (loss, gain, value)])
