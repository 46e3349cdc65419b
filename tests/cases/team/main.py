"""A small service that keeps notes."""

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

app = FastAPI()
notes: dict[int, dict] = {}


class Note(BaseModel):
    title: str = Field(min_length=1, max_length=80)
    text: str = ""


@app.get("/health")
def health():
    return {"status": "ok"}


@app.post("/notes", status_code=201)
def add_note(note: Note):
    number = max(notes, default=0) + 1
    notes[number] = note.model_dump()
    return {"id": number, **notes[number]}


@app.get("/notes/{number}")
def get_note(number: int):
    if number not in notes:
        raise HTTPException(status_code=404, detail="no such note")
    return {"id": number, **notes[number]}


@app.get("/notes")
def list_notes(limit: int = 10):
    if limit < 1:
        raise HTTPException(status_code=400, detail="limit has to be positive")
    return [{"id": number, **note} for number, note in sorted(notes.items())[:limit]]


@app.delete("/notes/{number}", status_code=204)
def delete_note(number: int):
    if number not in notes:
        raise HTTPException(status_code=404, detail="no such note")
    del notes[number]
