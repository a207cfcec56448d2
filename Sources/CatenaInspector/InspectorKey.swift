import Catena
import Foundation

/// The key without which nobody is shown a call.
///
/// It is kept for the app's next start, so that a page that stays open can go on: in the user's folder of caches, and readable by nobody else.
enum InspectorKey {
    /// The key of this app, made at its first start.
    ///
    /// - Parameter folder: Where it is kept; `nil` if there is no such place, and then it is a new one each time.
    static func kept(in folder: URL?) -> String {
        guard let folder else { return made() }
        let file = folder.appending(path: "\(name).key")
        if let (data, status) = try? OwnerOnlyFile.read(file) ?? nil, status.owner == OwnerOnlyFile.user, status.permissions & 0o077 == 0 {
            let key = String(decoding: data, as: UTF8.self)
            if key.utf8.count == length, key.utf8.allSatisfy({ PercentDecoding.hexValue($0) != nil }) { return key }
        }
        let key = made()
        // Where it cannot be kept, the page asks for the new address after the next start.
        try? OwnerOnlyFile.makeFolder(folder)
        try? OwnerOnlyFile.write(Data(key.utf8), to: file, isDurable: false)
        return key
    }

    static var usualFolder: URL? {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.appending(path: "Catena-Inspector")
    }

    /// What the app is called, as part of a file's name.
    private static var name: String {
        let name = (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName).prefix(80)
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" ? $0 : "_" })
    }

    /// In hexadecimal digits: 128 bits.
    private static let length = 32

    private static func made() -> String {
        // The system's own generator, which is fit for keys.
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
