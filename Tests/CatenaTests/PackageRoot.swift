import Foundation

extension URL {
    /// The root of the package, from the place of this file.
    static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
