public import Catena
public import CatenaPlatform

extension Client {
    /// Makes a client for demonstrations without a network: its responses are files.
    ///
    /// ```swift
    /// let client = Client(demo: Bundle.main.resourceURL!.appending(path: "Demo"), delay: .milliseconds(300))
    /// ```
    ///
    /// The response to `GET /v1/users` of the tag `forum` is the first of these files that exists, unchanged and with status 200: `forum/v1/users.get.json`,
    /// `forum/v1/users.json`. A folder or a file called `_` matches any one segment, but exact names are tried first. Files of calls without a tag are
    /// in the folder itself.
    ///
    /// - Parameters:
    ///   - folder: The folder with the files.
    ///   - delay: The delay of each response, in real time.
    public convenience init(demo folder: URL, delay: Duration = .zero) {
        self.init(transport: Fixtures(folder: folder, delay: delay))
    }
}

/// Responds to requests with the files of a folder.
private struct Fixtures: Transport {
    let folder: URL
    let delay: Duration

    func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await send(request, in: TransferContext())
    }

    func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        let context = context.stub
        let call = StubRequest(request, of: context)
        let root = context.tag.map { folder.appending(path: $0.name) } ?? folder
        // If the tag's host has a path of its own, such as `/api`, the last path is the one without it.
        let segments = (call.paths.last ?? "/").split(separator: "/").map { PercentDecoding.decode($0, plusIsSpace: false) }
        let isSafe = segments.allSatisfy { !$0.contains("/") && $0 != ".." && $0 != "." && !$0.contains("\0") }
        guard isSafe, let name = segments.last, let file = file(segments.dropLast(), name, request.method.name.lowercased(), in: root)
        else {
            let wanted = segments.joined(separator: "/")
            throw APIError(
                .unstubbed,
                message:
                    "There is no fixture for \(call): \(wanted).\(request.method.name.lowercased()).json or \(wanted).json in \(root.lastPathComponent)."
            )
        }
        return try await StubReply.file(file).delayed(by: delay).response(in: context)
    }

    private func file(_ folders: ArraySlice<String>, _ name: String, _ method: String, in place: URL) -> URL? {
        guard let next = folders.first else {
            let candidates = [name, "_"].flatMap { ["\($0).\(method).json", "\($0).json"] }
            return candidates.map { place.appending(path: $0) }.first { LocalFile.exists($0.path) }
        }
        for candidate in [next, "_"] {
            let inner = place.appending(path: candidate)
            guard LocalFile.exists(inner.path) else { continue }
            if let found = file(folders.dropFirst(), name, method, in: inner) { return found }
        }
        return nil
    }
}
