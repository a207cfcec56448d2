import Catena
import Foundation

/// The random secrets of an inspector.
enum InspectorKey {
    /// Returns the stored secret of this app for a port, or a new one if there is none. Only the user can read its file.
    ///
    /// The file's name has the app and the port, by which ``InspectorFinder`` finds the inspector.
    ///
    /// - Parameter folder: The folder of the file, or `nil` for a new secret each time.
    static func kept(in folder: URL?, port: Int) -> String {
        guard let folder else { return made() }
        let file = folder.appending(path: "\(name)-\(port)\(ending)")
        // Another user may know the secret of a file that is not the owner's alone.
        if let secret = secret(in: file) { return secret }
        let key = made()
        // If the secret cannot be stored, the next start creates another one. The page then asks the user for the new address.
        try? OwnerOnlyFile.makeFolder(folder)
        try? OwnerOnlyFile.write(Data(key.utf8), to: file, isDurable: false)
        return key
    }

    /// Returns the secret of a file, or `nil` if it has none or if another user owns it or can access it.
    static func secret(in file: URL) -> String? {
        guard let data = try? OwnerOnlyFile.read(file, limit: 4096) else { return nil }
        let secret = String(decoding: data, as: UTF8.self)
        return secret.utf8.count == length && secret.utf8.allSatisfy { PercentDecoding.hexValue($0) != nil } ? secret : nil
    }

    /// Returns the app and the port of a file's name, or `nil` if it is no file of a secret.
    static func place(in fileName: String) -> (app: String, port: Int)? {
        guard fileName.hasSuffix(ending), let dash = fileName.lastIndex(of: "-"),
            let port = Int(fileName[fileName.index(after: dash)...].dropLast(ending.count)), (1...65_535).contains(port)
        else { return nil }
        return (String(fileName[..<dash]), port)
    }

    private static let ending = ".renewal"

    static let folderName = "Catena-Inspector"

    static var usualFolder: URL? {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.appending(path: folderName)
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
