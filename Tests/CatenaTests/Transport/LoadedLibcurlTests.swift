#if os(Linux) && canImport(Glibc)
import Foundation
import Glibc
import Testing

/// The libcurl of the process: the system's, or one of those over which `.ci/libcurls` runs the tests.
@Suite(.limitedParallelism) struct LoadedLibcurlTests {
    private static let expected = ProcessInfo.processInfo.environment["CATENA_EXPECTED_LIBCURL"]

    /// The words of `curl_version`, which begin with "libcurl/8.4.0"; `nil` if no libcurl is loaded.
    private static let words: String? = {
        // NOLOAD finds the library that Foundation has loaded, and loads none.
        guard let library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD), let symbol = dlsym(library, "curl_version") else { return nil }
        return String(cString: unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)())
    }()

    @Test("the process has loaded the libcurl that is meant", .enabled(if: expected != nil, "CATENA_EXPECTED_LIBCURL names no version"))
    func version() throws {
        let expected = try #require(Self.expected)
        #expect(Self.words?.hasPrefix("libcurl/\(expected) ") == true, "\(Self.words ?? "no libcurl")")
    }

    @Test("the process has one libcurl")
    func alone() throws {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let paths = Set(maps.split(separator: "\n").compactMap { $0.split(separator: " ").last }.filter { $0.contains("/libcurl") })
        #expect(paths.count == 1, "\(paths)")
    }

    /// Tests that need the engine are skipped where it is missing: this one says where it must not be.
    @Test("the engine runs over every libcurl from 7.76 on")
    func engine() throws {
        let words = try #require(Self.words)
        let version = try #require(words.split(separator: " ").first?.split(separator: "/").last)
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        let isNewEnough = !numbers.lexicographicallyPrecedes([7, 76])
        #expect(Engine.isThere == isNewEnough, "\(words): \(Engine.missing ?? "the engine runs")")
    }
}
#endif
