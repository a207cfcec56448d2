#if CATENA_SESSION
public import Foundation

#if canImport(FoundationNetworking)
public import Catena
#endif

extension RequestSteps {
    /// Updates a Foundation `Progress` on the main actor. Its unit is the byte; it is indeterminate while the total is not known. On Linux it is
    /// in the product CatenaURLSession, which brings Foundation in.
    public consuming func onProgress(to progress: Progress, _ direction: TransferProgress.Direction = .download) -> Self {
        onProgress(direction) { transfer in
            progress.totalUnitCount = transfer.total ?? -1
            progress.completedUnitCount = transfer.completed
        }
    }
}
#endif
