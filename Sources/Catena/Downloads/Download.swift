public import Foundation

/// A file that has been downloaded.
public struct Download: Sendable {
    /// Where it is; another place than was asked for with ``ExistingFile/keepBoth``.
    public let url: URL
    /// The HTTP status of the last answer: 206 if an earlier download was resumed.
    public let status: Int
    public let headers: HTTPHeaders
    /// The size of the file.
    public let byteCount: Int64
    /// How many of the bytes were there from an earlier attempt or an earlier download.
    public let resumedFrom: Int64
}

/// What becomes of a file that is already where a download is to go.
public enum ExistingFile: Sendable, Hashable {
    /// It is replaced, at one blow, once the download is complete.
    case replace
    /// It stays, and the download fails.
    case fail
    /// It stays, and the download gets a number: `report 2.pdf`.
    case keepBoth
}
