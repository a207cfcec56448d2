import Catena
import Foundation

/// The random secrets of an inspector.
enum InspectorKey {
    /// Returns the stored secret of this app, or a new one if there is none. Only the user can read its file.
    ///
    /// - Parameter folder: The folder of the file, or `nil` for a new secret each time.
    static func kept(in folder: URL?) -> String {
        guard let folder else { return made() }
        let file = folder.appending(path: "\(name).renewal")
        // Ignore a file that another user owns or can access, because that user may know the secret.
        if let data = try? OwnerOnlyFile.read(file, limit: 4096) {
            let key = String(decoding: data, as: UTF8.self)
            if key.utf8.count == length, key.utf8.allSatisfy({ PercentDecoding.hexValue($0) != nil }) { return key }
        }
        let key = made()
        // If the secret cannot be stored, the next start creates another one. The page then asks the user for the new address.
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

    /// Returns a new secret.
    static func made() -> String {
        // `SystemRandomNumberGenerator` is cryptographically secure.
        var generator = SystemRandomNumberGenerator()
        return (0..<length / 2).map { _ in hex(generator.next()) }.joined()
    }

    static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
