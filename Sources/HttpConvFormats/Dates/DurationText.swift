/// Durations of ISO 8601 in days, hours, minutes and seconds (`Edm.Duration` of OData 4.0, `Edm.Time` of 2.0).
///
/// Months and years have no fixed length and are refused.
package enum DurationText {
    package static func duration(_ bytes: ArraySlice<UInt8>) -> Duration? {
        guard bytes.count < 64 else { return nil }
        var reader = DigitReader(bytes)
        let isNegative = reader.take("-")
        guard reader.take("P"), !reader.isAtEnd else { return nil }
        var seconds: Int64 = 0
        var attoseconds: Int64 = 0
        var units: [(Unicode.Scalar, Int64)] = [("D", 86400)]
        var isTime = false
        while !reader.isAtEnd {
            if !isTime, reader.take("T") {
                isTime = true
                units = [("H", 3600), ("M", 60), ("S", 1)]
                guard !reader.isAtEnd else { return nil }
            }
            guard let number = reader.number() else { return nil }
            if isTime, reader.take(".") {
                guard let fraction = reader.fraction(digits: 18) else { return nil }
                attoseconds = fraction
                units.removeAll { $0.0 != "S" }
            }
            guard let index = units.firstIndex(where: { reader.take($0.0) }) else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: units[index].1)
            let (sum, overflow2) = seconds.addingReportingOverflow(product)
            if overflow || overflow2 { return nil }
            seconds = sum
            units.removeFirst(index + 1)
        }
        return Duration(
            secondsComponent: isNegative ? -seconds : seconds,
            attosecondsComponent: isNegative ? -attoseconds : attoseconds)
    }

    /// Writes a duration, such as `P1DT2H3M4.5S`.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let isNegative = seconds < 0 || attoseconds < 0
        let total = seconds.magnitude
        var text = isNegative ? "-P" : "P"
        if total >= 86400 { text += "\(total / 86400)D" }
        let (hours, minutes, rest) = (total / 3600 % 24, total / 60 % 60, total % 60)
        let fraction = ClockText.fraction(attoseconds.magnitude, digits: 18)
        guard hours + minutes + rest > 0 || !fraction.isEmpty || total < 86400 else { return text }
        text += "T"
        if hours > 0 { text += "\(hours)H" }
        if minutes > 0 { text += "\(minutes)M" }
        if rest > 0 || !fraction.isEmpty || hours + minutes == 0 { text += "\(rest)\(fraction)S" }
        return text
    }
}
