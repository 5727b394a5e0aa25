/// One of the eight patterns that the data is combined with, so that no area looks like a mark (ISO/IEC 18004, 7.8.2).
struct QRMask: Sendable {
    let number: Int

    static let all = (0..<8).map { QRMask(number: $0) }

    /// Whether a module changes its colour.
    func inverts(_ x: Int, _ y: Int) -> Bool {
        switch number {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }
}
