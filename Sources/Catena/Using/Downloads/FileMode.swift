import CatenaPlatform

/// Receives a response into a file, continuing an earlier attempt or an earlier download.
struct FileMode: ResponseMode, AttemptMode {
    /// The existing bytes of an earlier attempt or download.
    private typealias Part = (offset: Int64, record: PartialRecord)

    let file: DownloadFile
    let resumes: Bool
    /// The maximum size of the file in bytes, or `nil` if only a compressed response is limited.
    let limit: Int64?

    /// The limits of a compressed body: the number of bytes that is always allowed, and the maximum ratio to the received bytes.
    private static let leastExpansion: Int64 = 50 << 20
    private static let mostExpansion: Int64 = 100

    var sharing: SharingRequirement? { nil }

    func run(_ call: Call) async throws -> HTTPResponse {
        var (response, resumedFrom) = try await download(call)
        response.take(from: call.run)
        response.received = .file(DownloadedBody(status: response.status, resumedFrom: resumedFrom))
        return response
    }

    /// Moves the file to its target, unless the call has failed after all.
    func product(of response: HTTPResponse, for run: CallRun) async throws -> Download {
        guard case .file(let body) = response.received else {
            try run.check(response)
            throw APIError.noFile
        }
        // The response that arrived with the file has been checked already.
        if response.status != body.status || response.isSuccess { try run.check(response) }
        let size = await file.size
        // The file must not be replaced by a call that was cancelled after the last byte had arrived.
        try run.throwIfCancelled()
        let url = try await file.finish()
        // A file that was complete already has reported no progress.
        run.progress?.note(.download, size, of: size)
        run.progress?.finish(.upload, .download)
        return Download(
            url: url, status: response.status, headers: response.headers, byteCount: size, resumedFrom: body.resumedFrom)
    }

    func abandon() async { await file.leave() }

    private func download(_ call: Call) async throws -> (HTTPResponse, resumedFrom: Int64) {
        try await file.check()
        // Ranges are defined for GET (RFC 9110 §14.2), and a request's own `Range` must not be replaced.
        let mayResume = resumes && call.prepared.method == .get && !call.prepared.headers.contains("Range")
        let identity = mayResume ? try call.partIdentity : nil
        var part = try await self.part(of: identity)
        let resumedFrom = part?.offset ?? 0
        while true {
            let openResponse: OpenResponse
            do {
                openResponse = try await call.open(request(call, for: part))
            } catch let error as APIError where error.status == 412 && part != nil {
                // The version that the request named no longer exists.
                part = nil
                continue
            } catch let error as APIError where error.status == 416 && part != nil {
                let refusal = HTTPResponse(status: 416, headers: error.response?.headers ?? [:], address: call.prepared.address)
                if case .complete = verdict(refusal, part) {
                    if let limit, resumedFrom > limit { throw try await tooLarge(limit) }
                    return (refusal, resumedFrom)
                }
                part = nil
                continue
            }
            var response = openResponse.response
            // A successful envelope does not make an error response a file.
            guard response.isSuccess else {
                var error = APIError(.status, code: .integer(response.status))
                error.attach(response)
                throw error
            }
            var total = response.bodyLength
            var end = total
            switch verdict(response, part) {
            case .whole:
                part = nil
                try checkIsWhole(call, response)
                try await file.restart(
                    identity.flatMap { PartialRecord(of: response, identity: $0) }, isLasting: try call.run.identity().isLasting)
            case .rest(let last, let all):
                try await file.resume()
                (end, total) = (last + 1, all)
            case .complete, .mismatch:
                part = nil
                continue
            }
            let start = call.client.clock.now
            let size = try await receive(call, openResponse.body, of: total) { mostBytes(of: response, receivedAs: $0) }
            response.timings?.transfer = call.client.clock.now - start
            try await check(size, end)
            if total == nil || size == total { return (response, part == nil ? 0 : resumedFrom) }
            // A server may send less than the requested range.
            part = try await self.part(of: identity)
        }
    }

    private func part(of identity: String?) async throws -> Part? {
        guard let identity else { return nil }
        return try await file.part(of: identity)
    }

    private func request(_ call: Call, for part: Part?) -> HTTPRequest {
        var request = call.prepared
        // A range selects bytes of the encoded body, which could not be joined (RFC 9110 §14.2, §8.4).
        if !request.headers.contains("Accept-Encoding") { request.headers.set("identity", for: "Accept-Encoding") }
        if let part {
            request.headers.set("bytes=\(part.offset)-", for: "Range")
            request.headers.set(part.record.validator, for: "If-Range")
        }
        return request
    }

    private func verdict(_ response: HTTPResponse, _ part: Part?) -> RangeVerdict {
        part.map { RangeVerdict(response, offset: $0.offset, record: $0.record) } ?? .whole
    }

    private func checkIsWhole(_ call: Call, _ response: HTTPResponse) throws {
        guard !call.prepared.headers.contains("Range"), response.status == 206 || !RangeVerdict.isWhole(response, nil) else { return }
        throw APIError(.protocolViolation, message: "The response is a part of the file, for which the request did not ask.")
    }

    /// Writes a body to the file. Returns the resulting size of the file.
    ///
    /// - Parameter limit: Returns the maximum size of the file, given the number of bytes received over the wire.
    private func receive(_ call: Call, _ body: BodyReader, of total: Int64?, limit: (Int64?) -> Int64?) async throws -> Int64 {
        var size = await file.size
        if let limit = limit(body.wireBytes), size > limit || total ?? 0 > limit { throw try await tooLarge(limit) }
        call.run.progress?.note(.download, size, of: total)
        while let piece = try await body.next() {
            if let limit = limit(body.wireBytes), size + Int64(piece.count) > limit { throw try await tooLarge(limit) }
            try await file.write(piece)
            size += Int64(piece.count)
            call.run.progress?.note(.download, size, of: total)
        }
        return size
    }

    /// Returns the maximum size of a response, because a small compressed response may expand to more than a disk holds.
    ///
    /// - Parameter wireBytes: The number of bytes received, or `nil` if the transport does not report it. The announced length is then
    ///   used.
    private func mostBytes(of response: HTTPResponse, receivedAs wireBytes: Int64?) -> Int64? {
        if let limit { return limit }
        guard response.headers.hasContentCoding else { return nil }
        let length = wireBytes ?? response.headers["Content-Length"].flatMap { Int64($0) } ?? 0
        return Self.leastExpansion + min(max(length, 0), Int64.max / 1000) * Self.mostExpansion
    }

    private func tooLarge(_ limit: Int64) async throws -> APIError {
        // Resuming such a download would not help.
        try await file.restart(nil)
        return APIError(
            .bodyTooLarge,
            message: "The download has more than \(limit) bytes. Set `downloadLimit`, or `limit` of `download(to:)`, to allow more.")
    }

    private func check(_ size: Int64, _ end: Int64?) async throws {
        guard let end, size != end else { return }
        if size < end { throw APIError(.connectionLost, message: "The connection ended after \(size) of \(end) bytes.") }
        // The received bytes are unreliable.
        try await file.restart(nil)
        throw APIError(.protocolViolation, message: "The response has more than the \(end) bytes that it announced.")
    }
}

extension APIError {
    static var noFile: APIError { .invalid("intercept", "the response to a download was replaced by one that is no file") }
}

extension Call {
    /// Identifies the request and its user. Excludes the common params, because they may differ for each attempt.
    fileprivate var partIdentity: String {
        get throws {
            var bare = run.request.commonParams(.none)
            bare.origin = CallOrigin(caller: try run.identity())
            let address = (try? RequestAssembly.assemble(CallRun(bare), common: CommonValues()))?.request.address ?? prepared.address
            // No address begins with a space. The token may differ from that of the previous attempt.
            let name = try run.keyIdentity(of: sender).map { " \($0) " } ?? ""
            return name + address.text
        }
    }
}
