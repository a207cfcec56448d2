/// Something that has a limit of time, and knows its own place among the others, so that it can be taken out without a search.
protocol Expiring: AnyObject {
    var expiry: ContinuousClock.Instant { get }
    /// Where the queue has it; -1 if it has not.
    var expiryPlace: Int { get set }
}

/// What has a limit of time, the first that is due in front: a binary heap. Pure.
///
/// Limits of one length come in the order in which they end. Then nothing is moved when one is added.
struct ExpiryQueue<Element: Expiring> {
    private var heap: [Element] = []

    var first: Element? { heap.first }

    mutating func add(_ element: Element) {
        element.expiryPlace = heap.count
        heap.append(element)
        rise(from: heap.count - 1)
    }

    /// Takes an element out, if it is there.
    mutating func remove(_ element: Element) {
        let place = element.expiryPlace
        guard place >= 0 else { return }
        element.expiryPlace = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        put(last, at: place)
        sink(from: place)
        rise(from: place)
    }

    private mutating func rise(from start: Int) {
        var place = start
        while place > 0, heap[place].expiry < heap[(place - 1) / 2].expiry {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(from start: Int) {
        var place = start
        while true {
            var smallest = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child].expiry < heap[smallest].expiry {
                smallest = child
            }
            if smallest == place { return }
            swap(place, smallest)
            place = smallest
        }
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].expiryPlace = left
        heap[right].expiryPlace = right
    }

    private mutating func put(_ element: Element, at place: Int) {
        heap[place] = element
        element.expiryPlace = place
    }
}
