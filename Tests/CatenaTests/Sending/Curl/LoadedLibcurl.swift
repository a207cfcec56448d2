import Foundation

#if canImport(FoundationNetworking) && canImport(Glibc)
import Glibc
#endif

/// The libcurl that Foundation has loaded, on Linux.
enum LoadedLibcurl {
    /// The text of `curl_version`, which begins like "libcurl/8.4.0", or `nil` if the process has loaded no libcurl.
    static let words: String? = {
        #if canImport(FoundationNetworking) && canImport(Glibc)
        // NOLOAD finds only a library that is already loaded.
        guard let library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD), let symbol = dlsym(library, "curl_version") else { return nil }
        return String(cString: unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)())
        #else
        // A statically linked program contains its libcurl, which cannot be found by a name.
        return nil
        #endif
    }()

    /// The version, such as "8.4.0" or "8.16.0-DEV".
    static var name: Substring? { words?.split(separator: " ").first?.split(separator: "/").last }

    /// Whether the loaded libcurl is older than a version, such as 7, 66. Returns `false` if no library is loaded.
    static func isOlder(than version: Int...) -> Bool {
        guard let name else { return false }
        let numbers = name.split { !$0.isNumber }.compactMap { Int($0) }
        return numbers.lexicographicallyPrecedes(version)
    }

    /// Whether URLSession notices that the server resets a connection. With older versions Foundation stops watching the socket.
    static var tellsResets: Bool { !isOlder(than: 7, 88) }
}
