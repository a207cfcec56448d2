extension Request {
    /// Returns the request of a loop that begins now. All of its calls are as old as the loop.
    ///
    /// The first call begins on another thread, where that of a later loop may come first. Without this number it would replace the newer one.
    var aged: Request {
        guard let replacement = options[\.replacement], replacement.number == nil else { return self }
        var request = self
        request.options[\.replacement] = Replacement(number: CallRun.nextID())
        return request
    }
}
