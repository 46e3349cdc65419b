import main
import pytest
from fastapi.testclient import TestClient

client = TestClient(main.app)


@pytest.fixture(autouse=True)
def empty():
    main.notes.clear()


def test_health():
    answer = client.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok"}


def test_a_note_is_kept():
    answer = client.post("/notes", json={"title": "a", "text": "b"})
    assert answer.status_code == 201
    assert answer.json() == {"id": 1, "title": "a", "text": "b"}
    assert client.get("/notes/1").json() == {"id": 1, "title": "a", "text": "b"}


def test_numbers_count_up():
    numbers = [client.post("/notes", json={"title": "x"}).json()["id"] for _ in range(3)]
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize("title", ["", "x" * 81])
def test_titles_have_bounds(title):
    assert client.post("/notes", json={"title": title}).status_code == 422


def test_the_longest_title():
    answer = client.post("/notes", json={"title": "x" * 80})
    assert answer.status_code == 201
    assert answer.json()["text"] == ""


def test_a_note_that_is_not_there():
    answer = client.get("/notes/7")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "no such note"}


def test_notes_are_listed_up_to_a_limit():
    for _ in range(12):
        client.post("/notes", json={"title": "x"})
    assert [note["id"] for note in client.get("/notes").json()] == list(range(1, 11))
    assert len(client.get("/notes?limit=1").json()) == 1
    assert client.get("/notes?limit=0").status_code == 400
    assert client.get("/notes?limit=0").json() == {"detail": "limit has to be positive"}


def test_a_note_is_deleted():
    client.post("/notes", json={"title": "x"})
    assert client.delete("/notes/1").status_code == 204
    assert client.get("/notes/1").status_code == 404
    again = client.delete("/notes/1")
    assert again.status_code == 404
    assert again.json() == {"detail": "no such note"}
