/// Receives the progress of a transfer piece by piece. A body that arrives at once is not reported.
protocol TransferMeter: AnyObject, Sendable {
    /// Records the number of bytes of the request's body sent so far.
    func noteSent(_ count: Int64)
    /// Records the number of bytes of the response's body received so far, and the expected number, if known.
    func noteReceived(_ count: Int64, of expected: Int64?)
}
