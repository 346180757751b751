# nix-build packaging/dlp.nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "dlp";
  version = "0.3.0";
  # what was built here for another system would be taken for built
  src = pkgs.lib.cleanSourceWith {
    src = pkgs.lib.cleanSource ./..;
    filter = path: type: builtins.match "build(-.*)?" (baseNameOf path) == null;
  };
  nativeBuildInputs = [ pkgs.pkg-config ];
  buildInputs = with pkgs; [ sqlite xz zstd zlib libiberty jsmn ];
  makeFlags = [ "PREFIX=$(out)" "STATIC=0" "CUDA_INCLUDE=" ];
  postPatch = "patchShebangs pipelines";
  doInstallCheck = true;
  installCheckPhase = "$out/bin/dlp -V";
  meta = {
    description = "Find out why GPU training is slow, from the profile you already have";
    license = pkgs.lib.licenses.mit;
    mainProgram = "dlp";
    platforms = pkgs.lib.platforms.linux;
  };
}
