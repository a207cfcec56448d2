public import Foundation

extension Request {
    /// Sends the request and promises the answer as a file.
    ///
    /// ```swift
    /// API.get("/reports/7.pdf").download(to: file)
    ///     .then { download in self.open(download.url) }
    /// ```
    ///
    /// The bytes go to a hidden file beside the target, which takes the target's place when all of them are there; folders on the way are
    /// made. What a failed or cancelled download has received stays if the server says how to tell whether the file is still the same: the
    /// next attempt, or the next download to the same place, also by another process, only asks for the rest. What cannot be resumed is
    /// removed. An error status gives an ``APIError`` and no file.
    ///
    /// - Parameters:
    ///   - target: The file; its folder need not be there yet.
    ///   - existing: What becomes of a file that is there already.
    ///   - sha256: The SHA-256 of the file in hexadecimal digits. Other bytes are removed and reject the promise.
    ///   - resumes: Whether what an earlier download left is used, and is left for a later one.
    public func download(
        to target: URL,
        ifExists existing: ExistingFile = .replace,
        sha256: String? = nil,
        resumes: Bool = true,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Download> {
        let execution = Execution(self)
        return execution.promise(file, line) {
            try await execution.download(to: target, ifExists: existing, sha256: sha256, resumes: resumes)
        }
    }
}

extension Execution {
    fileprivate func download(to target: URL, ifExists existing: ExistingFile, sha256: String?, resumes: Bool) async throws -> Download {
        try await Pipeline.run(
            self,
            until: DownloadAttempt(
                file: DownloadFile(try DownloadTarget(target, ifExists: existing), sha256: try sha256.map(Self.checked)), resumes: resumes))
    }

    private static func checked(_ digest: String) throws -> String {
        let digest = digest.lowercased()
        guard digest.utf8.count == 64, digest.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }) else {
            throw APIError.invalid("download", "the SHA-256 is not 64 hexadecimal digits")
        }
        return digest
    }
}
