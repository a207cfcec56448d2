/// Gives other tasks their turn until something has happened, or until the time limit of the test cancels it.
func until(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
}
