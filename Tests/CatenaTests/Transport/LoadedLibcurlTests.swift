#if os(Linux) && canImport(Glibc)
import Foundation
import Glibc
import Testing

/// The proof of `.ci/libcurls`, which runs the tests over other versions than the system's.
@Suite(.enabled(if: LoadedLibcurlTests.expected != nil, "CATENA_EXPECTED_LIBCURL names no version"), .limitedParallelism)
struct LoadedLibcurlTests {
    static let expected = ProcessInfo.processInfo.environment["CATENA_EXPECTED_LIBCURL"]

    @Test("the process has loaded the libcurl that is meant")
    func version() throws {
        // NOLOAD: finds the library that Foundation has loaded, and loads none.
        let library = try #require(dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD), "no libcurl is loaded")
        defer { dlclose(library) }
        let symbol = try #require(dlsym(library, "curl_version"))
        let words = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)
        let expected = try #require(Self.expected)
        #expect(String(cString: words()).hasPrefix("libcurl/\(expected) "))
    }

    @Test("the process has one libcurl")
    func alone() throws {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let paths = Set(maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }.filter { $0.contains("libcurl") })
        #expect(paths.count == 1, "\(paths)")
    }
}
#endif
