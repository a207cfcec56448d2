import Catena
import CatenaPromise
import Foundation

/// One connection: reads requests, asks for their responses and plays the scripts. It lives on the server's thread only.
final class ServerConnection {
    private enum Phase {
        case reading
        /// An asynchronous handler is at work.
        case answering(Task<Void, Never>)
        case playing
        /// At a gate, in a pause or on hold: only a message or the timer goes on.
        case waiting
        /// Said goodbye; what still comes is discarded.
        case draining
        case ended
    }

    /// More than this is left to the kernel while a response is on its way. What is being read has the limits of the server.
    private static let inputBound = 65_536

    /// How long a client may take to notice that it was refused.
    private static let drainTime: Duration = .seconds(2)

    let number: Int
    /// When to call ``timerFired()``.
    private(set) var deadline: ContinuousClock.Instant?

    private let core: ServerCore
    private var channel: ServerChannel
    private var phase = Phase.reading
    private var input = ServerInput()
    private var parser: ServerRequestParser
    private var script = ServerScript([])
    /// What writes the body that is on its way, if something does.
    private var stream: LoopbackStream?
    private var unsent = Data()
    private var isBlocked = false
    private var omitsBody = false
    private var keepsAlive = true

    init(number: Int, socket: ServerSocket, core: ServerCore) {
        self.number = number
        self.core = core
        channel = ServerChannel(socket, identity: core.identity)
        parser = ServerRequestParser(limits: core.limits)
        deadline = core.limits.headTime.map { .now + $0 }
    }

    var hasEnded: Bool {
        if case .ended = phase { true } else { false }
    }

    /// Reading goes on while a response is on its way: the end of the stream is how a client's going is noticed.
    var wantsToRead: Bool {
        switch phase {
        case .reading, .draining: true
        case .answering, .playing, .waiting, .ended: input.count < Self.inputBound
        }
    }

    var wantsToWrite: Bool { isBlocked || channel.hasOutgoing }

    func receive(through buffer: UnsafeMutableRawBufferPointer) {
        switch channel.receive(into: buffer) {
        case .blocked:
            return
        case .gone:
            end()
        case .bytes(let count):
            if case .draining = phase { return }
            input.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            if case .reading = phase { proceed() }
        }
    }

    func writable() {
        isBlocked = false
        if flush() { proceed() }
    }

    func timerFired() {
        deadline = nil
        switch phase {
        // The head has not come in time, or the client has not gone.
        case .reading, .draining: end()
        default: resume()
        }
    }

    func resume() {
        guard case .waiting = phase else { return }
        phase = .playing
        proceed()
    }

    func answer(_ response: LoopbackResponse) {
        guard case .answering = phase else { return }
        play(response)
        proceed()
    }

    /// Closes at once, if it is not closed yet.
    func end(resetting: Bool = false) {
        if case .ended = phase { return }
        if case .answering(let task) = phase { task.cancel() }
        phase = .ended
        deadline = nil
        stream?.close()
        if resetting { channel.reset() } else { channel.close() }
        core.closed.increment()
    }

    private func proceed() {
        while true {
            switch phase {
            case .reading: if !readRequest() { return }
            case .playing: if !playStep() { return }
            case .answering, .waiting, .draining, .ended: return
            }
        }
    }

    /// Whether there is something more to do now.
    private func readRequest() -> Bool {
        let outcome = parser.next(from: &input)
        if parser.isInHead, case .incomplete = outcome {
            if deadline == nil { deadline = core.limits.headTime.map { .now + $0 } }
        } else {
            deadline = nil
        }
        switch outcome {
        case .incomplete:
            return false
        case .head(let head):
            let request = request(head)
            // Not under the lock.
            guard let refusal = core.admission.withLock({ $0 })?(request) else { return true }
            let message = ServerMessage(refusal, omitsBody: false, closes: true)
            play(ServerScript([.send(message.head + message.body), .finishSession, .closeGently]))
        case .continueExpected:
            guard core.continues else { return false }
            play(ServerScript([.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))]))
        case .refused(let refusal):
            let response = LoopbackResponse.json(["error": refusal.reason], status: refusal.status)
            let message = ServerMessage(response, omitsBody: false, closes: true)
            play(ServerScript([.send(message.head + message.body), .finishSession, .closeGently]))
        case .complete(let head, let body, let length):
            omitsBody = head.method == .head
            keepsAlive = head.keepsAlive
            handle(request(head, body, length))
        }
        return true
    }

    private func request(_ head: ServerRequestHead, _ body: Data = Data(), _ length: Int = 0) -> RecordedRequest {
        RecordedRequest(
            method: head.method, target: head.target, path: head.path, headers: head.headers, body: body, bodyLength: length,
            head: head.bytes,
            connection: number)
    }

    private func handle(_ request: RecordedRequest) {
        var request = request
        switch core.record(&request) {
        case nil:
            play(.json(["error": "no route", "method": request.method.name, "path": request.path], status: 404))
        case .immediate(let handler):
            do {
                play(try handler(request))
            } catch {
                play(Self.failure(error))
            }
        case .suspending(let handler):
            phase = .answering(Self.start(handler, for: request, reportingTo: core.mailbox))
        }
    }

    private static func start(
        _ handler: @escaping @Sendable (RecordedRequest) async throws -> LoopbackResponse, for request: RecordedRequest,
        reportingTo mailbox: ServerMailbox
    ) -> Task<Void, Never> {
        Task {
            let response: LoopbackResponse
            do {
                response = try await handler(request)
            } catch {
                response = failure(error)
            }
            mailbox.post(.answer(connection: request.connection, response))
        }
    }

    private static func failure(_ error: any Error) -> LoopbackResponse {
        .json(["error": "the handler threw: \(error)"], status: 500)
    }

    private func play(_ response: LoopbackResponse) {
        stream = response.stream
        play(ServerScript(response, omitsBody: omitsBody, keepsAlive: keepsAlive))
    }

    private func play(_ script: ServerScript) {
        self.script = script
        phase = .playing
    }

    /// Whether there is something more to do now.
    private func playStep() -> Bool {
        guard sendUnsent() else { return false }
        guard let step = script.next() else {
            phase = .reading
            return true
        }
        switch step {
        case .send(let data), .drip(let data, _), .repeated(let data, _):
            unsent = data
            return true
        case .pause(let time):
            phase = .waiting
            deadline = .now + time
            return false
        case .wait(let gate):
            // Waiting before the gate is asked: it may open, and send its message, right then.
            phase = .waiting
            let passes = gate.passes { [mailbox = core.mailbox, number] in mailbox.post(.resume(connection: number)) }
            if passes { phase = .playing }
            return passes
        case .stream(let stream):
            // Waiting before it is asked, as at a gate.
            phase = .waiting
            let chunk = stream.take { [mailbox = core.mailbox, number] in mailbox.post(.resume(connection: number)) }
            guard let chunk else { return false }
            phase = .playing
            unsent = chunk
            return true
        case .hold:
            phase = .waiting
        case .finishSession:
            channel.finishSession()
            return true
        case .close:
            end()
        case .closeGently:
            phase = .draining
            channel.finishSending()
            deadline = .now + Self.drainTime
        case .reset:
            end(resetting: true)
        }
        return false
    }

    /// Whether everything could be sent.
    private func sendUnsent() -> Bool {
        guard !isBlocked else { return false }
        while !unsent.isEmpty {
            switch unsent.withUnsafeBytes({ channel.send($0) }) {
            case .bytes(let count):
                unsent = count == unsent.count ? Data() : unsent.dropFirst(count)
            case .blocked:
                isBlocked = true
                return false
            case .gone:
                end()
                return false
            }
        }
        return flush()
    }

    /// Whether nothing is left that TLS has to send.
    private func flush() -> Bool {
        switch channel.flush() {
        case .bytes: return true
        case .blocked: isBlocked = true
        case .gone: end()
        }
        return false
    }
}
