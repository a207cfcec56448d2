#if os(Linux) && canImport(Glibc)
import CCurl

/// Passes bodies on, and pauses them and lets them continue. On the loop's thread only.
extension CurlLoop {
    /// Pauses the sending, too, of a transfer whose reader has no room.
    func pauseLater(_ transfer: CurlTransfer) {
        if CurlLibrary.receivesWhilePaused, transfer.request.hasBody, !transfer.isSent { round.blocked.append(transfer) }
    }

    /// Ends a transfer after libcurl has returned, if libcurl has released its socket because the peer has ended the connection.
    func noteReleased(_ socket: Int32, of transfer: CurlTransfer) {
        if transfer.isRunning, transfer.isSendingPaused { round.released.append((transfer, socket)) }
    }

    /// Ends a transfer whose response is complete, if libcurl would continue to send.
    func finishWhole(_ transfer: CurlTransfer) {
        // A paused transfer has bytes that libcurl has to deliver first.
        guard transfer.isRunning, transfer.isWhole, !transfer.isPaused else { return }
        if transfer.isSent {
            guard transfer.mayHoldBytes else { return }
            // A transfer with nothing left to send ends now by itself, and its connection can be reused.
            act(on: transfer.connection?.socket ?? -1)
            finishTransfers()
        }
        transfer.forbidReuse()
        finish(transfer, code: 0)
    }

    /// Ends a transfer whose peer has ended the connection.
    func finishEnded(_ transfer: CurlTransfer) {
        // libcurl also releases the socket of a transfer that it has finished, which has its own result.
        finishTransfers()
        guard transfer.isRunning, transfer.isSendingPaused, !transfer.isPaused else { return }
        finish(transfer, code: transfer.codeAtEnd)
    }

    func continueBodies(of round: LoopRound) {
        // libcurl delivers the refused bytes again, which belong to those that are passed on.
        for transfer in round.turned { unpauseReceiving(transfer) }
        for transfer in round.blocked where transfer.isRunning && transfer.isPaused {
            if let easy = transfer.easy { pause(transfer, easy, CurlLibrary.Pause.receiving | CurlLibrary.Pause.sending) }
        }
        for transfer in round.flowing { transfer.intake.passOn() }
    }

    func unpauseReceiving(_ transfer: CurlTransfer) {
        guard transfer.catchUp(), transfer.isRunning, transfer.willResume(), let easy = transfer.easy else { return }
        pause(transfer, easy, transfer.isSendingPaused ? CurlLibrary.Pause.sending : 0)
    }

    func unpauseSending(_ transfer: CurlTransfer) {
        guard transfer.isRunning, transfer.willResumeSending(), let easy = transfer.easy else { return }
        // The sending continues together with the receiving.
        if transfer.isPaused, CurlLibrary.receivesWhilePaused { return }
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
