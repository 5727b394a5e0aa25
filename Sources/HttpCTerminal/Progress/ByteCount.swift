import HttpConvFormats

/// Sizes as text for people.
enum ByteCount {
    static func text(_ count: Int) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        guard count >= 1024 else { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        let tenths = PeerNumber.integer(value * 10, clampingTo: 0...Int.max) ?? 0
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
