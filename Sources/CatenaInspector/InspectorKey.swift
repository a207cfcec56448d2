import Catena
import Foundation

/// The key that every request to the inspector needs.
///
/// The key is stored, so that an open page stays connected when the app starts again. Its file is in the user's cache folder, and only the user can
/// read it.
enum InspectorKey {
    /// Returns the stored key of this app, or a new one if there is none.
    ///
    /// - Parameter folder: The folder of the key's file, or `nil` for a new key each time.
    static func kept(in folder: URL?) -> String {
        guard let folder else { return made() }
        let file = folder.appending(path: "\(name).key")
        // Ignore a file that another user owns or can access, because that user may know the key.
        if let data = try? OwnerOnlyFile.read(file, limit: 4096) {
            let key = String(decoding: data, as: UTF8.self)
            if key.utf8.count == length, key.utf8.allSatisfy({ PercentDecoding.hexValue($0) != nil }) { return key }
        }
        let key = made()
        // If the key cannot be stored, the next start creates another one. The page then asks the user for the new address.
        try? OwnerOnlyFile.makeFolder(folder)
        try? OwnerOnlyFile.write(Data(key.utf8), to: file, isDurable: false)
        return key
    }

    static var usualFolder: URL? {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.appending(path: "Catena-Inspector")
    }

    /// The name of the app, with only characters that suit a file name.
    private static var name: String {
        let name = (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName).prefix(80)
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" ? $0 : "_" })
    }

    /// The number of hexadecimal digits, for 128 bits.
    private static let length = 32

    private static func made() -> String {
        // `SystemRandomNumberGenerator` is cryptographically secure.
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
