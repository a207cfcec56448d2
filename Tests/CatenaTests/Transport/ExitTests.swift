// What becomes of a process can only be seen from outside.
#if compiler(>=6.2) && os(Linux) && canImport(Glibc)
import Catena
import Glibc
import TestSupport
import Testing

@Suite("A program that ends while calls are under way", .limitedParallelism)
struct ExitTests {
    private static let hasOpenSSL3 = LoadedLibcurl.words?.contains("OpenSSL/3") == true

    @Test(
        "OpenSSL is left as it is for the threads that still use it, and which would crash", .needsEngine,
        .enabled(if: hasOpenSSL3, "libcurl has another TLS library, or an OpenSSL of its own"))
    func openSSL() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Handlers run in the opposite order: this one after that of a library that is set up later.
            atexit {
                typealias Initialize = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
                guard let library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD), let symbol = dlsym(library, "OPENSSL_init_crypto")
                else {
                    _exit(8)
                }
                // Nothing of it works once it has been taken apart.
                _exit(unsafeBitCast(symbol, to: Initialize.self)(0, nil) == 1 ? 7 : 9)
            }
            _ = try CurlTransport()
            exit(0)
        }
    }
}
#endif
