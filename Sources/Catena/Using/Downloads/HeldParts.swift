/// The incomplete files that downloads of this process hold, by path.
///
/// A cancelled download holds its file until its task ends. With this table, the next download to the same target takes the file at once.
enum HeldParts {
    private static let holders = Mutex<[String: DownloadFile]>([:])

    static func add(_ file: DownloadFile, at path: String) {
        holders.withLock { $0[path] = file }
    }

    /// Removes a download, unless another one holds the file by now.
    static func remove(_ file: DownloadFile, at path: String) {
        holders.withLock { if $0[path] === file { $0[path] = nil } }
    }

    /// Returns the download that holds a file although its call was cancelled.
    static func cancelledHolder(of path: String) -> DownloadFile? {
        let file = holders.withLock { $0[path] }
        return file?.isCancelled == true ? file : nil
    }
}
