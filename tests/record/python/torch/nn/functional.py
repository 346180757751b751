def linear(x, w, bias=None):
    return x
