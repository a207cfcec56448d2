import Dispatch

/// The progress of the transfer of a body.
///
/// ```swift
/// .onProgress { progress in self.bar.value = progress.fraction ?? 0 }
/// ```
public struct TransferProgress: Sendable, Equatable {
    /// The direction of a transfer.
    public enum Direction: Sendable, Hashable {
        /// The body of the request.
        case upload
        /// The body of the response.
        case download
    }

    /// The direction of the transfer: the request's body or the response's body.
    public let direction: Direction
    /// The number of bytes transferred so far, including those of earlier runs of a resumed download.
    public let completed: Int64
    /// The total number of bytes, or `nil` if it is unknown.
    public let total: Int64?
    /// The completed part, from 0 to 1, or `nil` if the total is unknown. It never decreases, and is 1 only at the end of a success.
    public let fraction: Double?
    /// The recent transfer rate in bytes per second.
    public let throughput: Double
}

/// A progress handler and the direction that it observes.
struct ProgressObserver: Sendable {
    /// The observed direction, or `nil` for both.
    let direction: TransferProgress.Direction?
    let notify: @MainActor @Sendable (TransferProgress) -> Void
}

/// Reports the progress of one call's transfers to its observers, on the main actor.
final class ProgressReporter: Sendable {
    private let observers: [ProgressObserver]
    private let clock: any TimerClock
    private let throttles = Mutex<[TransferProgress.Direction: ProgressThrottle]>([:])

    init(_ observers: [ProgressObserver], clock: any TimerClock) {
        self.observers = observers
        self.clock = clock
    }

    /// Records the number of bytes transferred so far in one direction, including those of earlier runs.
    func note(_ direction: TransferProgress.Direction, _ completed: Int64, of total: Int64?) {
        let now = clock.now
        send(throttles.withLock { $0[direction, default: ProgressThrottle(direction)].note(completed, of: total, at: now) })
    }

    /// Records that the call has succeeded, so that the transfers in these directions, if any, are complete.
    func finish(_ directions: TransferProgress.Direction...) {
        let now = clock.now
        for direction in directions { send(throttles.withLock { $0[direction]?.finish(at: now) }) }
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

/// Decides when to report the progress of a transfer: at most ten times per second, never backwards, and always at the end. Pure.
struct ProgressThrottle {
    static let interval = Duration.milliseconds(100)

    private let direction: TransferProgress.Direction
    private var last: (progress: TransferProgress, time: Duration)?
    /// The bytes transferred so far in the current attempt, whether reported or not.
    private var latest: Int64 = 0
    private var isFinished = false

    init(_ direction: TransferProgress.Direction) {
        self.direction = direction
    }

    /// Records a number of bytes, and returns the progress to report, if any.
    ///
    /// The last byte is not reported as the end, because only ``finish(at:)`` knows whether the call has succeeded.
    mutating func note(_ completed: Int64, of total: Int64?, at now: Duration) -> TransferProgress? {
        guard !isFinished else { return nil }
        latest = completed
        let completed = max(completed, last?.progress.completed ?? 0)
        // More bytes than announced arrived, so the announced total was wrong.
        let total = total.flatMap { completed > $0 ? nil : $0 }
        guard let last else { return notify(completed, total, total.map { part(completed, of: $0) }, throughput: 0, at: now) }
        guard now - last.time >= Self.interval, completed != total else { return nil }
        let fraction = total.map { max(part(completed, of: $0), last.progress.fraction ?? 0) }
        return notify(completed, total, fraction, throughput: throughput(completed, now), at: now)
    }

    /// Returns the progress to report at the end of a success, or `nil` if no bytes were recorded.
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

    /// Returns the completed part, always below 1, because 1 is reserved for the end.
    private func part(_ completed: Int64, of total: Int64) -> Double {
        min(Double(completed) / Double(max(total, 1)), 1 - Double.ulpOfOne)
    }

    /// Returns the mean of the new and the previous rate, because a smoothed figure is easier to read.
    private func throughput(_ completed: Int64, _ now: Duration) -> Double {
        guard let last, now > last.time else { return last?.progress.throughput ?? 0 }
        let rate = Double(completed - last.progress.completed) / ((now - last.time) / .seconds(1))
        return last.progress.throughput == 0 ? rate : (rate + last.progress.throughput) / 2
    }
}

extension HTTPRequest {
    /// The longest body in memory, in bytes, whose progress is reported only at its beginning and end.
    private static let shortest = 64 * 1024

    /// The request, with a long body in memory split into pieces.
    var inPieces: HTTPRequest {
        guard let body, body.count > Self.shortest else { return self }
        var request = self
        request.body = nil
        request.bodySource = BodySource(body)
        return request
    }

    /// Returns a request that reports how much of its body has been sent.
    ///
    /// - Parameter splits: Whether a body in memory may be split into pieces, which a custom transport need not support.
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

/// Receives the progress of a transfer piece by piece. A body that arrives at once is not reported.
package protocol TransferMeter: AnyObject, Sendable {
    /// Records the number of bytes of the request's body sent so far.
    func noteSent(_ count: Int64)
    /// Records the number of bytes of the response's body received so far, and the expected number, if known.
    func noteReceived(_ count: Int64, of expected: Int64?)
}
