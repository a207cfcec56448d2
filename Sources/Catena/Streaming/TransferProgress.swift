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
        /// The body of the answer.
        case download
    }

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
