// Only an exit test, which needs Swift 6.2, can observe the end of a process.
#if compiler(>=6.2) && os(Linux) && canImport(Glibc)
import Catena
import Glibc
import TestSupport
import Testing

@Suite("A program that ends while calls are in progress", .limitedParallelism)
struct ExitTests {
    private static let hasOpenSSL3 = LoadedLibcurl.words?.contains("OpenSSL/3") == true

    @Test(
        "OpenSSL does not free its state at exit, because threads that still use it would crash", .needsEngine,
        .enabled(if: hasOpenSSL3, "libcurl has another TLS library, or an OpenSSL of its own"))
    func openSSL() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Handlers run in reverse order, so that this one runs after those of libraries that are set up later.
            atexit {
                typealias Initialize = @convention(c) (UInt64, UnsafeRawPointer?) -> Int32
                guard let library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD), let symbol = dlsym(library, "OPENSSL_init_crypto")
                else {
                    _exit(8)
                }
                // This fails once OpenSSL has freed its state.
                _exit(unsafeBitCast(symbol, to: Initialize.self)(0, nil) == 1 ? 7 : 9)
            }
            _ = try CurlTransport()
            exit(0)
        }
    }
}
#endif
