public import Catena
public import CatenaPlatform

/// Records the responses of a real server in a file (HAR 1.2), and replays them in later runs.
///
/// ```swift
/// let recording = try Recording(file, mode: .replay)         // .record, once
/// let client = Client(testing: recording)
/// let users = try await client.host("https://forum.example.com").get("/users").value(as: [User].self)
/// try recording.save()                                       // writes what was recorded; nothing in replay
/// ```
///
/// A recording replaces only the network. Merging, guards, retries, redirects, envelope and decoding run as in the app. Each attempt and each redirect is a
/// separate entry. A response is replayed once, in the order of the recording. A call that the recording lacks fails; the error names the nearest entry and
/// the difference. A call without a response is not recorded. A response is recorded whole, up to 64 MiB, before the call receives it.
///
/// Secrets never reach the file; see ``RecordingRules``.
public final class Recording: Sendable {
    /// The source of the responses.
    public enum Mode: Sendable {
        /// Responses come from the server. ``Recording/save()`` replaces the file.
        case record
        /// Responses come from the file only.
        case replay
        /// Responses come from the file, or from the server if the file lacks the call. ``Recording/save()`` adds those calls.
        case update
    }

    /// Whether calls are recorded or replayed.
    public let mode: Mode

    /// The clock of the clients that replay. It advances by itself, so that no test waits in real time.
    let clock = VirtualClock(isAutomatic: true)

    private let file: RecordingFile
    private let rules: RecordingRules
    private let redaction: RecordingRedaction
    private let transport: any Transport
    private let state: Mutex<State>

    private struct State {
        var tape: RecordingTape
        var secrets: Set<String> = []
    }

    private static let bodyLimit = 64 * 1024 * 1024

    /// Opens a recording.
    ///
    /// - Parameters:
    ///   - file: The file of the recording.
    ///   - mode: Whether calls are recorded or replayed.
    ///   - transport: The transport of the recorded calls. Without one, the platform's transport.
    ///   - configure: Sets what to hide and what to ignore in comparisons.
    /// - Throws: A ``RecordingError`` if there is nothing to replay, or if the file or a rule is invalid.
    public init(
        _ file: URL, mode: Mode, over transport: (any Transport)? = nil, _ configure: (inout RecordingRules) -> Void = { _ in }
    ) throws {
        var rules = RecordingRules()
        configure(&rules)
        let file = RecordingFile(url: file)
        var redaction = try RecordingRedaction(rules)
        var tape = RecordingTape(name: file.name)
        if mode == .replay, !file.isThere {
            throw RecordingError(description: "There is no recording \(file.url.path): make it with the mode record.")
        }
        if mode != .record, file.isThere {
            for (call, archived) in try file.read() {
                tape.load(call, RequestLikeness(redaction.hide(call.request), rules), archived: archived)
            }
        }
        self.mode = mode
        self.file = file
        self.rules = rules
        self.redaction = redaction
        self.transport = transport ?? PlatformTransport.chosen.transport
        state = Mutex(State(tape: tape))
    }

    /// Writes the recorded calls without their secrets. Has no effect in replay.
    ///
    /// - Throws: A ``RecordingError`` if a text still looks like a secret; the file is then not written. An error of the file system if the file cannot be
    ///   written.
    public func save() throws {
        let (tape, secrets) = state.withLock { ($0.tape, $0.secrets) }
        let calls = tape.news
        guard mode != .replay, mode == .record || !calls.isEmpty else { return }
        let check = SecretCheck(secrets: secrets, harmless: rules.harmlessValues, names: redaction.names)
        let problems = try check.problems(in: calls)
        guard problems.isEmpty else {
            let advice =
                "\(file.name) was not written. Hide it with hiddenNames, hiddenPaths or hiddenPatterns, or list it in harmlessValues."
            throw RecordingError(description: (problems + [advice]).joined(separator: "\n"))
        }
        try file.write(calls, after: tape.archived)
    }

    /// Throws a ``RecordingError`` if the recording lacked a call, or if one of its responses was not used.
    public func verify() throws {
        let problems = state.withLock { $0.tape.problems }
        if !problems.isEmpty { throw RecordingError(description: problems.joined(separator: "\n")) }
    }
}

extension Recording: Transport {
    /// Responds from the file, or sends the request to the server.
    public func send(_ request: HTTPRequest) async throws -> TransportResponse {
        try await send(request, in: TransferContext())
    }

    public func send(_ request: HTTPRequest, in context: TransferContext) async throws -> TransportResponse {
        let request = try await request.withBodyInMemory(limit: Self.bodyLimit)
        var redaction = redaction
        let likeness = RequestLikeness(redaction.hide(request), rules)
        if mode != .record, let answer = state.withLock({ $0.tape.take(likeness) }) { return Self.response(answer) }
        guard mode != .replay else {
            let call = StubRequest(request, of: context.stub)
            throw state.withLock { $0.tape.refuse(call, likeness) }
        }
        let call = try await fetch(request, in: context)
        let hidden = redaction.hide(call)
        state.withLock { state in
            state.tape.add(hidden, likeness)
            state.secrets.formUnion(redaction.secrets)
        }
        return call.response.map { Self.response($0) } ?? TransportResponse(status: 0)
    }

    private func fetch(_ request: HTTPRequest, in context: TransferContext) async throws -> RecordedCall {
        let started = Date()
        let start = ContinuousClock.now
        let answer = try await transport.send(request)
        let head = ContinuousClock.now
        var timings = CallTimings()
        timings.firstByte = head - start
        var response = HTTPResponse(status: answer.status, headers: answer.headers, address: request.address)
        response.body = try await answer.body.collect(limit: Self.bodyLimit)
        response.source = answer.source
        timings.transfer = ContinuousClock.now - head
        return RecordedCall(
            request: request, tag: context.tag, attempt: context.attempt, started: started, timings: timings, response: response)
    }

    private static func response(_ response: HTTPResponse) -> TransportResponse {
        var answer = TransportResponse(status: response.status, headers: response.headers, body: TransportBody(response.body))
        answer.source = response.source
        return answer
    }
}

extension HTTPRequest {
    /// Returns the request with its body in memory instead of a body that is read while it is sent.
    fileprivate func withBodyInMemory(limit: Int) async throws -> HTTPRequest {
        guard let source = bodySource else { return self }
        var request = self
        let bytes = try await source.collect(limit: limit)
        request.body = bytes
        request.bodySource = BodySource(bytes)
        request.bodySource?.onSent = source.onSent
        return request
    }
}

/// The error if a recording cannot be read, contains a likely secret, or differs from the test's calls.
public struct RecordingError: LocalizedError, CustomStringConvertible {
    /// The problems, one on each line, without secrets.
    public let description: String

    public var errorDescription: String? { description }
}
