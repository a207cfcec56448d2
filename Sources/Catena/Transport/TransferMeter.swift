/// Who is told how much of a transfer is done, piece by piece. What comes at once is no piece.
protocol TransferMeter: AnyObject, Sendable {
    /// Takes how many bytes of the body of the request have been sent so far.
    func noteSent(_ count: Int64)
    /// Takes how many bytes of the body of the response have come so far, and of how many, if that is known.
    func noteReceived(_ count: Int64, of expected: Int64?)
}
