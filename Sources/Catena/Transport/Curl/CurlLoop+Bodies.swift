#if os(Linux) && canImport(Glibc)
import CCurl

/// Passes bodies on, and pauses them and lets them continue. On the loop's thread only.
extension CurlLoop {
    /// Passes received bytes to the reader after libcurl has returned.
    func passOnLater(_ transfer: CurlTransfer) { round.flowing.append(transfer) }

    /// Makes a transfer whose turn is over continue after libcurl has returned.
    func continueLater(_ transfer: CurlTransfer) { round.turned.append(transfer) }

    func continueBodies(of round: LoopRound) {
        // libcurl delivers the refused bytes again, which belong to those that are passed on.
        for transfer in round.turned { unpauseReceiving(transfer) }
        for transfer in round.flowing { transfer.intake.passOn() }
    }

    func unpauseReceiving(_ transfer: CurlTransfer) {
        guard transfer.catchUp(), transfer.isRunning, transfer.willResume(), let easy = transfer.easy else { return }
        pause(transfer, easy, transfer.isSendingPaused ? CurlLibrary.Pause.sending : 0)
    }

    func unpauseSending(_ transfer: CurlTransfer) {
        guard transfer.isRunning, transfer.willResumeSending(), let easy = transfer.easy else { return }
        pause(transfer, easy, transfer.isPaused ? CurlLibrary.Pause.receiving : 0)
    }

    /// Sets the paused directions. libcurl delivers postponed bytes before it returns. If they are refused, only this result reports it,
    /// and the transfer would continue.
    private func pause(_ transfer: CurlTransfer, _ easy: OpaquePointer, _ directions: Int32) {
        transfer.isRepeating = true
        let code = catena_easy_pause(easy, directions)
        transfer.isRepeating = false
        guard code != 0 else { return }
        // libcurl also returns an error for a transfer that it has finished, which has its own result.
        finishTransfers()
        finish(transfer, code: code)
    }
}
#endif
