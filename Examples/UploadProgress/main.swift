// Uploads a file and prints the progress.
import Foundation
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com
let file = URL(filePath: CommandLine.arguments[2])

let response = try await HttpConversationManager().upload(
    for: HTTPRequest(.put, "\(server)/upload"),
    from: .file(file).onProgress { sent, total in print("\(sent) of \(total ?? sent) bytes sent") })
print(response.status)
