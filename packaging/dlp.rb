# Homebrew on Linux: make dist; brew install --build-from-source packaging/dlp.rb
class Dlp < Formula
  desc "Find out why GPU training is slow, from the profile you already have"
  version "0.3.0"
  url "file://#{File.expand_path("..", __dir__)}/dlp-0.3.0.tar.gz"
  license "MIT"

  depends_on "jsmn" => :build
  depends_on "pkgconf" => :build
  depends_on :linux
  depends_on "sqlite"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  # libiberty, which no formula installs
  resource "binutils" do
    url "https://ftp.gnu.org/gnu/binutils/binutils-2.43.tar.bz2"
    sha256 "fed3c3077f0df7a4a1aa47b080b8c53277593ccbb4e5e78b73ffb4e3f265e750"
  end

  def install
    resource("binutils").stage do
      cd "libiberty" do
        system "./configure", "CFLAGS=-O2 -fPIC", "--enable-install-libiberty",
          "--prefix=#{buildpath}/iberty"
        system "make", "install", "MULTIOSDIR=."
      end
    end
    system "make", "install", "PREFIX=#{prefix}", "STATIC=0", "CUDA_INCLUDE=",
      "CPPFLAGS=-I#{buildpath}/iberty/include", "LDFLAGS=-L#{buildpath}/iberty/lib"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/dlp -V")
  end
end
