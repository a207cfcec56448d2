import Foundation

/// OpenSSL's digests. Data is stored until the digest is finalized.
private enum Library {
    typealias Function = @convention(c) (UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>?

    static func digest(_ name: String, _ length: Int, of bytes: [UInt8]) -> [UInt8] {
        guard let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW), let symbol = dlsym(library, name)
        else { return [] }
        let function = unsafeBitCast(symbol, to: Function.self)
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = bytes.withUnsafeBytes { function($0.baseAddress, $0.count, start) } == nil ? 0 : length
        }
    }
}

public struct SHA256: Sendable {
    private var bytes: [UInt8] = []

    public init() {}

    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { bytes += bufferPointer }

    public func finalize() -> [UInt8] { Library.digest("SHA256", 32, of: bytes) }
}

public enum Insecure {
    public struct MD5: Sendable {
        private var bytes: [UInt8] = []

        public init() {}

        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { bytes += bufferPointer }

        public func finalize() -> [UInt8] { Library.digest("MD5", 16, of: bytes) }
    }
}
