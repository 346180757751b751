# Homebrew on Linux: brew install --build-from-source packaging/dlp.rb
class Dlp < Formula
  desc "Find out why GPU training is slow, from the profile you already have"
  version "0.3.0"
  url "file://#{File.expand_path("..", __dir__)}/dlp-0.3.0.tar.gz" # make dist

  depends_on "binutils" => :build # libiberty
  depends_on "pkgconf" => :build
  depends_on :linux
  depends_on "sqlite"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "make", "install", "PREFIX=#{prefix}", "STATIC=0", "CUDA_INCLUDE="
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dlp -V")
  end
end
