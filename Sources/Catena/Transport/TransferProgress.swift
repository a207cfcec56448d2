import Dispatch

/// How far the transfer of a body is.
///
/// ```swift
/// .onProgress { progress in self.bar.value = progress.fraction ?? 0 }
/// ```
public struct TransferProgress: Sendable, Equatable {
    /// Which way the bytes go.
    public enum Direction: Sendable, Hashable {
        /// The body of the request.
        case upload
        /// The body of the response.
        case download
    }

    /// Which body it is, that of the request or that of the response.
    public let direction: Direction
    /// The bytes that have been transferred. Of a download that was resumed, those of earlier runs count too.
    public let completed: Int64
    /// How many bytes there are; `nil` if that is not known.
    public let total: Int64?
    /// The part that is done, from 0 to 1; it never goes back, and is 1 at the end of a success. `nil` if the total is not known.
    public let fraction: Double?
    /// Bytes per second, of the last moments.
    public let throughput: Double
}

/// Somebody who is told how far a transfer is.
struct ProgressObserver: Sendable {
    /// `nil`: both.
    let direction: TransferProgress.Direction?
    let notify: @MainActor @Sendable (TransferProgress) -> Void
}

/// Tells the observers of one call, on the main actor, how far its transfers are.
final class ProgressReporter: Sendable {
    fileprivate struct State {
        var upload = ProgressThrottle(.upload)
        var download = ProgressThrottle(.download)
    }

    private let observers: [ProgressObserver]
    private let clock: any TimerClock
    private let state = Mutex(State())

    init(_ observers: [ProgressObserver], clock: any TimerClock) {
        self.observers = observers
        self.clock = clock
    }

    /// Takes the number of bytes that have gone one way so far; of a part of them that went earlier, too.
    func note(_ direction: TransferProgress.Direction, _ completed: Int64, of total: Int64?) {
        let now = clock.now
        send(state.withLock { $0[direction].note(completed, of: total, at: now) })
    }

    /// Takes it that the call has succeeded, so that what has gone these ways, if anything has, is all of it.
    func finish(_ directions: TransferProgress.Direction...) {
        let now = clock.now
        for direction in directions { send(state.withLock { $0[direction].finish(at: now) }) }
    }

    private func send(_ progress: TransferProgress?) {
        guard let progress else { return }
        let concerned = observers.filter { $0.direction == nil || $0.direction == progress.direction }
        guard !concerned.isEmpty else { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                for observer in concerned { observer.notify(progress) }
            }
        }
    }
}

extension ProgressReporter.State {
    fileprivate subscript(direction: TransferProgress.Direction) -> ProgressThrottle {
        get { direction == .upload ? upload : download }
        set { if direction == .upload { upload = newValue } else { download = newValue } }
    }
}

/// Decides when there is something to tell about a transfer: at most ten times per second, never backwards, and at the end in any case.
/// Pure.
struct ProgressThrottle {
    static let interval = Duration.milliseconds(100)

    private let direction: TransferProgress.Direction
    private var last: (progress: TransferProgress, time: Duration)?
    /// The bytes that have gone so far, told or not, in the attempt of now.
    private var latest: Int64 = 0
    private var isFinished = false

    init(_ direction: TransferProgress.Direction) {
        self.direction = direction
    }

    /// Takes a count of bytes, and gives what is to be told of it, if anything is.
    ///
    /// The last byte is not the end: whether all went well is known to ``finish(at:)`` only.
    mutating func note(_ completed: Int64, of total: Int64?, at now: Duration) -> TransferProgress? {
        guard !isFinished else { return nil }
        latest = completed
        let completed = max(completed, last?.progress.completed ?? 0)
        // More bytes than announced: the announcement was wrong.
        let total = total.flatMap { completed > $0 ? nil : $0 }
        guard let last else { return notify(completed, total, total.map { part(completed, of: $0) }, throughput: 0, at: now) }
        guard now - last.time >= Self.interval, completed != total else { return nil }
        let fraction = total.map { max(part(completed, of: $0), last.progress.fraction ?? 0) }
        return notify(completed, total, fraction, throughput: throughput(completed, now), at: now)
    }

    /// Gives what is to be told of the end of a success, which is nothing where no bytes were ever noted.
    mutating func finish(at now: Duration) -> TransferProgress? {
        guard !isFinished, let last else { return nil }
        isFinished = true
        let completed = max(latest, last.progress.completed)
        return notify(completed, completed, 1, throughput: throughput(completed, now), at: now)
    }

    private mutating func notify(
        _ completed: Int64, _ total: Int64?, _ fraction: Double?, throughput: Double, at now: Duration
    ) -> TransferProgress {
        let progress = TransferProgress(
            direction: direction, completed: completed, total: total, fraction: fraction, throughput: throughput)
        last = (progress, now)
        return progress
    }

    /// Short of 1, which is the end's.
    private func part(_ completed: Int64, of total: Int64) -> Double {
        min(Double(completed) / Double(max(total, 1)), 1 - Double.ulpOfOne)
    }

    /// Half of what is new, half of what was, so that the figure can be read.
    private func throughput(_ completed: Int64, _ now: Duration) -> Double {
        guard let last, now > last.time else { return last?.progress.throughput ?? 0 }
        let rate = Double(completed - last.progress.completed) / ((now - last.time) / .seconds(1))
        return last.progress.throughput == 0 ? rate : (rate + last.progress.throughput) / 2
    }
}

extension HTTPRequest {
    /// Bodies in memory that are shorter are told of at their beginning and at their end only.
    private static let shortest = 64 * 1024

    /// The request with a long body in memory handed over in pieces.
    var inPieces: HTTPRequest {
        guard let body, body.count > Self.shortest else { return self }
        var request = self
        request.body = nil
        request.bodySource = BodySource(body)
        return request
    }

    /// The request, telling how much of its body has been sent.
    ///
    /// - Parameter splits: Whether a body in memory may be handed over in pieces, which a transport of a test's own need not know.
    func notifying(_ progress: ProgressReporter?, _ meter: (any TransferMeter)?, splits: Bool) -> HTTPRequest {
        guard progress != nil || meter != nil, hasBody else { return self }
        progress?.note(.upload, 0, of: bodyLength)
        var request = splits ? inPieces : self
        request.bodySource?.onSent = { sent, total in
            progress?.note(.upload, sent, of: total)
            meter?.noteSent(sent)
        }
        return request
    }
}
